/** heed as a library: the services, their live layers, the schemas, the engine. */
export * as Ledger from "./state/Ledger.ts"
