import { readData, requireId } from '../graph/reading.js'
import { toRecord } from '../lib/json.js'
import { networkOf } from './networks.js'
import type { ChannelTarget } from './target.js'

// These calls concern the updates that our app is sent, and the people who write to a page. Every function throws a
// GraphError.

/** The fields that our app is sent for a channel. */
export async function listSubscribedFields(target: ChannelTarget): Promise<string[]> {
  const apps = readData(
    await target.graph.get(`${networkOf(target).messagingPath(target)}/subscribed_apps`, {}, target.access),
  )
  return apps.flatMap((app) => {
    const fields = toRecord(app)?.subscribed_fields
    return Array.isArray(fields) ? fields.map(String) : []
  })
}

/** Has our app sent these fields of a channel; those before are replaced. */
export async function subscribe(target: ChannelTarget, fields: readonly string[]): Promise<void> {
  const params = { subscribed_fields: fields.join(',') }
  await target.graph.post(`${networkOf(target).messagingPath(target)}/subscribed_apps`, params, target.access)
}

/** A profile as the platform tells it, untrusted; a page's has two names, that of an Instagram account a whole one. */
export interface PlatformProfile {
  given: unknown
  family: unknown
  whole: unknown
  user: unknown
  picture: unknown
}

/** The profile of a person who wrote to a page or account, as far as the platform tells it. */
export async function readProfile(target: ChannelTarget, personId: string): Promise<PlatformProfile> {
  const { graph, access } = target
  const answer = await graph.get(`/${requireId(personId)}`, { fields: networkOf(target).profileFields }, access)
  const { first_name: given, last_name: family, name: whole, username: user, profile_pic: picture } = answer
  return { given, family, whole, user, picture }
}
