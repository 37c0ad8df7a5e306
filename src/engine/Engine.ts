/**
 * Engine: the rooms of this floor, put together over whatever state, configuration, providers and sinks a program
 * chose.
 */
import * as Layer from "effect/Layer"
import { Dispatcher } from "./Dispatcher.ts"
import { Inspector } from "./Inspector.ts"
import { Operator } from "./Operator.ts"
import { Poller } from "./Poller.ts"
import { type Identification, Running } from "./Running.ts"
import { Words } from "./Words.ts"

/** Everything that works on items, with the given dispatcher. */
export const layerWith = <E, R>(identification: Identification, dispatcher: Layer.Layer<Dispatcher, E, R>) =>
  Layer.mergeAll(Poller.layer, Operator.layer, Inspector.layer).pipe(
    Layer.provideMerge(dispatcher),
    Layer.provideMerge(Layer.mergeAll(Running.layer(identification), Words.layer))
  )

/** Everything that works on items. */
export const layer = (identification: Identification) => layerWith(identification, Dispatcher.layer)
