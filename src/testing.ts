/** heed/testing: memory layers and the embedded forge. */
export * as Ledger from "./state/Ledger.ts"
