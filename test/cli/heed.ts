/** A heed with the tests' engine, as a program: `node test/cli/heed.ts <behaviour as JSON> <arguments>`. */
import { main } from "../../src/cli/Main.ts"
import type { Behaviour } from "./wiring.ts"
import { wiring } from "./wiring.ts"

const [behaviour = "{}"] = process.argv.splice(2, 1)
const told: Behaviour = JSON.parse(behaviour)
main(wiring(told))
