import type { AppContext } from './context.js'
import type { Operation } from './http/operation.js'
import * as listed from './operation-list.js'

/** Every operation there is, by its name; each says on which surfaces. */
export const operations: readonly Operation<AppContext>[] = Object.values(listed)
