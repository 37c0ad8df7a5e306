/** What the example and the reference are about: the one place where their kinds come from. */
export { rooms } from "./testKinds.ts"
