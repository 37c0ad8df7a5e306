/**
 * Links: the `Link` header, which alone says whether a listing goes on (traps B08, B51).
 */

/** Targets by relation: `{ next: "https://…", last: "https://…" }`. */
export const links = (header: string | undefined): { readonly [relation: string]: string } => {
  const found: { [relation: string]: string } = {}
  for (const match of (header ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[^,;"=]+="[^"]*"|\s*;\s*[^,;]+)*)/gu)) {
    const relations = /;\s*rel="?([^";]+)"?/iu.exec(match[2] ?? "")?.[1] ?? ""
    for (const relation of relations.split(/\s+/u)) {
      if (relation !== "" && match[1] !== undefined) found[relation.toLowerCase()] = match[1]
    }
  }
  return found
}
