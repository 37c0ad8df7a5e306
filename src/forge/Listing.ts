/** Pages of a listing: which rows are on which page, which are not to be seen yet, and the links between pages. */
import { type Answer, type Drawn, rows } from "./Answer.ts"
import type { Ask } from "./Ask.ts"
import type { Settings } from "./Settings.ts"
import type { Hideable } from "./World.ts"

export interface ListingRow {
  readonly draw: () => Drawn
  readonly hideable: Hideable | undefined
}

const whole = (text: string | null, otherwise: number) => {
  const value = Number(text ?? "")
  return Number.isInteger(value) && value > 0 ? value : otherwise
}

export const pageOf = (query: URLSearchParams): number => whole(query.get("page"), 1)

/** Hidden rows are left out; each first page that leaves one out brings it nearer to being seen. */
const visible = (all: ReadonlyArray<ListingRow>, page: number) =>
  all.filter(({ hideable }) => {
    if (hideable === undefined || hideable.hiddenFor === 0) return true
    if (page === 1) hideable.hiddenFor -= 1
    return false
  })

/**
 * One page of `all`, which is in its final order. `address` is the listing's address by repository id, as GitHub
 * writes it in links.
 */
const listing = (
  all: ReadonlyArray<ListingRow>,
  query: URLSearchParams,
  address: string,
  settings: Settings
): Answer => {
  const page = pageOf(query)
  const perPage = Math.min(whole(query.get("per_page"), 30), settings.maxPerPage)
  const seen = visible(all, page)
  const last = Math.max(1, Math.ceil(seen.length / perPage))
  const shown = seen.slice((page - 1) * perPage, page * perPage)
  const to = (target: number, rel: string) => {
    const search = new URLSearchParams(query)
    search.set("page", String(target))
    return `<${address}?${search.toString()}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, last), "prev")] : []),
    ...(page < last ? [to(page + 1, "next")] : []),
    ...(page < last && settings.lastLink ? [to(last, "last")] : []),
    ...(page > 1 ? [to(1, "first")] : [])
  ]
  return rows(
    shown.map(({ draw }) => draw()),
    links.length === 0 ? {} : { link: links.join(", ") }
  )
}

/** The page of `all` that a request asks for. */
export const paged = (ask: Ask, all: ReadonlyArray<ListingRow>): Answer =>
  listing(all, ask.query, `${ask.stage.places.api}${ask.resource}`, ask.stage.settings)

/** Whether something updated at `updatedAt` is within `since`; without a readable `since` everything is. */
export const within = (query: URLSearchParams, settings: Settings) => {
  const since = Date.parse(query.get("since") ?? "")
  return (updatedAt: string): boolean => {
    if (Number.isNaN(since)) return true
    const at = Date.parse(updatedAt)
    return settings.since === "inclusive" ? at >= since : at > since
  }
}
