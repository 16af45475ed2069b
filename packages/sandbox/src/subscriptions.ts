import { BadRequest, ok, type SandboxAnswer } from './answers.js'
import type { SandboxPage } from './model.js'
import type { Handler, SandboxPart } from './route.js'
import { requireScope, type Scope } from './scopes.js'
import { INSTAGRAM_FIELDS, PAGE_FIELDS } from './subscription-fields.js'
import { SANDBOX_APP_ID } from './tokens.js'

/** The subscriptions of pages and accounts to an app. */
export interface Subscriptions {
  part: SandboxPart
  /** The subscribed fields, by the id of the page or account. */
  fieldsOf(id: string): readonly string[]
  /** The fields of the page or account that are sent to the app. */
  sentOf(page: SandboxPage): readonly string[]
  /** Drops a subscription, as the platform does if an address fails for an hour. */
  forget(id: string): void
}

/** The permission that each field needs; most need none. */
const FIELD_SCOPES: Readonly<Record<'Page' | 'IGUser', Readonly<Record<string, Scope>>>> = {
  Page: { messages: 'pages_messaging', messaging_postbacks: 'pages_messaging', message_echoes: 'pages_messaging' },
  IGUser: {
    comments: 'instagram_business_manage_comments',
    live_comments: 'instagram_business_manage_comments',
    messages: 'instagram_business_manage_messages',
    messaging_postbacks: 'instagram_business_manage_messages',
  },
}

/** The fields of a linked account are chosen in the app's settings; any subscribed field of its page enables them. */
const APP_FIELDS: readonly string[] = ['comments', 'messages', 'messaging_postbacks']

export function createSubscriptions(): Subscriptions {
  const fields = new Map<string, string[]>()
  const fieldsOf = (id: string): readonly string[] => fields.get(id) ?? []
  const list: Handler = (_call, { id }) => {
    const subscribed = fields.get(id)
    return ok({ data: subscribed === undefined ? [] : [{ id: SANDBOX_APP_ID, subscribed_fields: subscribed }] })
  }
  const subscribe =
    (type: 'Page' | 'IGUser', known: readonly string[]): Handler =>
    ({ params, token }, { id }): SandboxAnswer => {
      const asked = readNames(params.subscribed_fields)
      asked.forEach((name, index) => {
        if (!known.includes(name)) {
          throw new BadRequest(`Param subscribed_fields[${index}] must be one of {${known.join(', ')}}`)
        }
        const scope = Object.hasOwn(FIELD_SCOPES[type], name) ? FIELD_SCOPES[type][name] : undefined
        if (scope !== undefined) requireScope(token, scope)
      })
      fields.set(id, asked)
      return ok({ success: true })
    }
  const unsubscribe: Handler = (_call, { id }) => {
    fields.delete(id)
    return ok({ success: true })
  }
  return {
    fieldsOf,
    sentOf: ({ id, platform, pageId }) => {
      const isLinked = platform === 'instagram' && pageId !== undefined && fieldsOf(pageId).length > 0
      return [...new Set([...fieldsOf(id), ...(isLinked ? APP_FIELDS : [])])]
    },
    forget: (id) => void fields.delete(id),
    part: {
      handlers: {
        'GET Page/subscribed_apps': list,
        'POST Page/subscribed_apps': subscribe('Page', PAGE_FIELDS),
        'DELETE Page/subscribed_apps': unsubscribe,
        'GET IGUser/subscribed_apps': list,
        'POST IGUser/subscribed_apps': subscribe('IGUser', INSTAGRAM_FIELDS),
        'DELETE IGUser/subscribed_apps': unsubscribe,
      },
    },
  }
}

/** Reads a list of names, or names separated by commas. */
function readNames(value: unknown): string[] {
  const names = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(',') : []
  const given = names.map((name) => name.trim()).filter((name) => name !== '')
  if (given.length === 0) throw new BadRequest('The parameter subscribed_fields is required')
  return [...new Set(given)]
}
