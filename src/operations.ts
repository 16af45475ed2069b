import type { AppContext } from './context.js'
import type { Operation } from './http/operation.js'
import * as listed from './operation-list.js'

/** Every operation. Each declares the surfaces that offer it. */
export const operations: readonly Operation<AppContext>[] = Object.values(listed)
