import { toRecord } from '../lib/json.js'
import { loginOf } from './login.js'
import { readData, requireId } from './reading.js'
import { type ChannelTarget, messagingPath } from './target.js'

// These calls concern the updates that our app is sent, and the people who write to a page. Every function throws a
// GraphError.

/**
 * The fields that intake reads, by the type and login of a channel. A page takes page fields only, any of which has the
 * platform send the fields of its Instagram account that are set in the app's dashboard.
 */
export function fieldsToSubscribe({ type, access }: ChannelTarget): readonly string[] {
  if (type === 'FB_PAGE') return ['feed', 'messages', 'messaging_postbacks', 'message_echoes']
  const fields = ['messages', 'messaging_postbacks']
  return loginOf(access.accessToken) === 'instagram' ? ['comments', ...fields] : fields
}

/** The fields that our app is sent for a channel. */
export async function listSubscribedFields(target: ChannelTarget): Promise<string[]> {
  const apps = readData(await target.graph.get(`${messagingPath(target)}/subscribed_apps`, {}, target.access))
  return apps.flatMap((app) => {
    const fields = toRecord(app)?.subscribed_fields
    return Array.isArray(fields) ? fields.map(String) : []
  })
}

/** Has our app sent these fields of a channel; those before are replaced. */
export async function subscribe(target: ChannelTarget, fields: readonly string[]): Promise<void> {
  const params = { subscribed_fields: fields.join(',') }
  await target.graph.post(`${messagingPath(target)}/subscribed_apps`, params, target.access)
}

/** A profile as the platform tells it, untrusted; a page's has two names, that of an Instagram account a whole one. */
export interface PlatformProfile {
  given: unknown
  family: unknown
  whole: unknown
  user: unknown
  picture: unknown
}

const PROFILE_FIELDS = {
  FB_PAGE: 'first_name,last_name,profile_pic',
  INSTAGRAM_ACCOUNT: 'name,username,profile_pic',
} as const

/** The profile of a person who wrote to a page or account, as far as the platform tells it. */
export async function readProfile({ graph, type, access }: ChannelTarget, personId: string): Promise<PlatformProfile> {
  const answer = await graph.get(`/${requireId(personId)}`, { fields: PROFILE_FIELDS[type] }, access)
  const { first_name: given, last_name: family, name: whole, username: user, profile_pic: picture } = answer
  return { given, family, whole, user, picture }
}
