import { sinkContract } from "../contract.ts"
import { tmuxWorld } from "./world.ts"

sinkContract("tmux", tmuxWorld, ["succeeds"])
