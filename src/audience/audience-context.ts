import type { Context } from '../http/context.js'
import type { AudienceCache } from './list/audience-cache.js'

/** The context of this room's operations. */
export interface AudienceContext extends Context {
  audienceCache: AudienceCache
}
