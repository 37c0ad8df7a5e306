/**
 * RecordCache: the records that were in hand last, so that an item at work is not read again for each step. Bounded by
 * number and by the size of their files: how many items heed knows costs no memory here.
 */
import type { Read } from "./RecordFile.ts"

const most = 1024
/** In characters of their files. */
const mostText = 4_000_000

export interface RecordCache {
  readonly get: (slug: string) => Read | undefined
  readonly put: (slug: string, read: Read, size: number) => void
  readonly drop: (slug: string) => void
}

export const make = (): RecordCache => {
  // A Map remembers the order of insertion: the first is the one that was used longest ago.
  const held = new Map<string, { readonly read: Read; readonly size: number }>()
  let text = 0

  const drop = (slug: string) => {
    text -= held.get(slug)?.size ?? 0
    held.delete(slug)
  }

  return {
    get: (slug) => {
      const found = held.get(slug)
      if (found === undefined) return undefined
      held.delete(slug)
      held.set(slug, found)
      return found.read
    },
    put: (slug, read, size) => {
      drop(slug)
      held.set(slug, { read, size })
      text += size
      for (const oldest of held.keys()) {
        if (held.size <= 1 || (held.size <= most && text <= mostText)) break
        drop(oldest)
      }
    },
    drop
  }
}
