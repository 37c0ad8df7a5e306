import { sinkContract } from "../contract.ts"
import { processWorld } from "./world.ts"

sinkContract("process", processWorld)
