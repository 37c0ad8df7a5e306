/**
 * Plan: what the engine runs on, out of a configuration file or out of values.
 */
import type { Effect } from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"
import { load as loadWith, type Loaded } from "../config/load.ts"
import { type Given, make as makeWith } from "../config/Make.ts"
import type { Plan } from "../config/Plan.ts"
import type { ConfigError } from "../config/Problem.ts"
import { rooms } from "./Rooms.ts"

export type { Given, Loaded, Plan }

/** A plan out of values, with the defaults of the configuration file and the built-in prompts. Reads nothing. */
export const make = (given: Given): Plan => makeWith(given, rooms.templates.builtIn)

/** Reads and checks a configuration file (absolute). Its error names everything that is wrong, with line and mend. */
export const load = (file: string): Effect<Loaded, ConfigError, FileSystem | Path> => loadWith(file, rooms)
