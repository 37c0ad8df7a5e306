/**
 * What `heed start` says of itself on a terminal: what is watched, which agents, who may speak, where the state is.
 */
import type { Plan } from "../config/Plan.ts"
import { version } from "../domain/Version.ts"
import type { Provider } from "../tracker/Provider.ts"
import { type Page, tone } from "./Render.ts"
import { oneLine, wrap } from "./Text.ts"

const entry = (page: Pick<Page, "columns">, name: string, text: string): ReadonlyArray<string> =>
  wrap(oneLine(text), Math.max(8, page.columns - 9)).map(
    (line, at) => (at === 0 ? name : "").padEnd(9) + line
  )

/** The lines of the banner. */
export const banner = (
  plan: Plan,
  providers: ReadonlyArray<Pick<Provider, "source" | "scopes">>,
  page: Pick<Page, "columns" | "colour">
): ReadonlyArray<string> => {
  const users = plan.access.users.map(({ name, tracker }) =>
    tracker === undefined ? name : `${tracker}:${name}`
  )
  return [
    tone(page, "bold", `heed ${version}`),
    ...providers.flatMap((provider) =>
      entry(page, "watches", `${provider.source}: ${provider.scopes.join(", ")}`)
    ),
    ...Object.entries(plan.agents).flatMap(([name, agent]) =>
      entry(page, "agent", `${name}: ${[agent.plan.sink, ...agent.plan.command.slice(0, 1)].join(", ")}`)
    ),
    ...(users.length === 0 ? [] : entry(page, "access", users.join(", "))),
    ...entry(page, "state", plan.state.root),
    ...plan.warnings.flatMap((warning) =>
      entry(page, "WARNING", warning).map((line) => tone(page, "yellow", line))
    )
  ]
}
