import { ok } from './answers.js'
import { get, post, type SandboxRoute } from './route.js'

const SANDBOX_APP_ID = '700000000000001'
const GIVEN_NAMES = ['Ana', 'Bruno', 'Clara', 'Davi', 'Elisa', 'Felipe', 'Gabriela', 'Heitor']
const FAMILY_NAMES = ['Alves', 'Barros', 'Costa', 'Dias', 'Esteves', 'Freitas', 'Gomes', 'Henriques']

/** The subscriptions of pages and accounts to an app, and the profiles of people who write to them. */
export interface Subscriptions {
  routes: readonly SandboxRoute[]
  /** The fields that are subscribed, by the id of the page or account. */
  fieldsOf(id: string): readonly string[]
  /** Drops a subscription, as the platform does with an address that failed for an hour. */
  forget(id: string): void
}

export function createSubscriptions(): Subscriptions {
  const fields = new Map<string, string[]>()
  return {
    fieldsOf: (id) => fields.get(id) ?? [],
    forget: (id) => void fields.delete(id),
    routes: [
      get(/^\/(\d+)\/subscribed_apps$/, (_call, _model, [id = '']) => {
        const subscribed = fields.get(id)
        return ok({ data: subscribed === undefined ? [] : [{ id: SANDBOX_APP_ID, subscribed_fields: subscribed }] })
      }),
      post(/^\/(\d+)\/subscribed_apps$/, ({ params }, _model, [id = '']) => {
        fields.set(id, String(params.subscribed_fields ?? '').split(','))
        return ok({ success: true })
      }),
      // Any other id is that of a person, where the fields of a profile are asked for.
      get(/^\/(\d+)$/, ({ query }, { pages = [] }, [id = '']) => {
        const asked = (query.fields ?? '').split(',')
        const isProfile = asked.includes('profile_pic') && pages.every((page) => page.id !== id)
        return isProfile ? ok({ id, ...profileOf(id) }) : undefined
      }),
    ],
  }
}

/** The same for the same id. */
function profileOf(id: string): Record<string, string> {
  const number = Number(id.slice(-6))
  const given = GIVEN_NAMES[number % GIVEN_NAMES.length]!
  const family = FAMILY_NAMES[Math.floor(number / GIVEN_NAMES.length) % FAMILY_NAMES.length]!
  return {
    first_name: given,
    last_name: family,
    name: `${given} ${family}`,
    username: `${given}.${family}`.toLowerCase(),
  }
}
