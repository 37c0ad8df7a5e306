/**
 * Time: moments as texts and back, apart from their schema for who loads none.
 */
import type { Instant } from "./Item.ts"

/** Epoch milliseconds as an `Instant`. */
export const instant = (millis: number): Instant => new Date(millis).toISOString()

/** Epoch milliseconds of an `Instant`. */
export const millis = (at: Instant): number => Date.parse(at)
