import type { RawRoute } from '../../http/raw-routes.js'
import type { Intake } from '../intake.js'
import { createHooks, type Hooks } from './admission.js'
import { dataDeletionRoutes } from './data-deletions.js'
import { eventRoutes } from './events-in.js'
import { signedRoutes } from './signed.js'

/**
 * Returns the routes that shops, apps and inboxes send to (docs/intake.md). The response does not depend on the content of a
 * signed body, which only the worker reads.
 */
export function hookRoutes(context: Hooks['context'], intake: Intake): RawRoute[] {
  const hooks = createHooks(context, intake)
  const routes: RawRoute[] = [...signedRoutes(hooks), ...dataDeletionRoutes(hooks), ...eventRoutes(hooks)]
  // People paste URLs with a trailing slash, and a delivery to an unknown route would be lost.
  return routes.flatMap((route) => [route, { ...route, path: `${route.path}/` }])
}
