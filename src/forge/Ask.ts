/** A request within one repository, after the asker is known and the repository found. */
import type { Drawings } from "./Answer.ts"
import type { Places } from "./RepoReplies.ts"
import type { Settings } from "./Settings.ts"
import type { Account, Repo, Role, Token, World } from "./World.ts"

export interface Stage {
  readonly world: World
  readonly drawings: Drawings
  /** Known once the forge listens. */
  places: Places
  /** Read at each request: it changes while the forge runs. */
  settings: Settings
}

export interface Ask {
  readonly stage: Stage
  readonly token: Token
  readonly repo: Repo
  readonly role: Role
  /** The parts of the path that the route names, decoded. */
  readonly parts: ReadonlyArray<string>
  /** `/repositories/7000/issues`: the resource below the API's address, by id. */
  readonly resource: string
  readonly query: URLSearchParams
  /** The JSON that was sent; undefined when there was none. */
  readonly sent: unknown
}

export const part = (ask: Ask, index: number): string => ask.parts[index] ?? ""

/** The owner's account, for replies that show it. */
export const ownerOf = (world: World, repo: Repo): Account => world.account(repo.owner)

const ranks: ReadonlyArray<Role> = ["none", "read", "triage", "write", "maintain", "admin"]

export const mayAtLeast = (role: Role, wanted: Role): boolean => ranks.indexOf(role) >= ranks.indexOf(wanted)
