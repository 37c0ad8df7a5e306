/** What the example and the reference are about: this heed's own kinds. The one place where they come from. */
export { rooms } from "../../src/live/Rooms.ts"
