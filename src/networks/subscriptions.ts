import { readData, requireId } from '../graph/reading.js'
import { toRecord } from '../lib/json.js'
import { networkOf } from './networks.js'
import type { ChannelTarget } from './target.js'

// Subscriptions to the updates that our app receives, and profiles of the people who write. Every function throws a
// GraphError.

/** Lists the fields that our app receives for a channel. */
export async function listSubscribedFields(target: ChannelTarget): Promise<string[]> {
  const apps = readData(
    await target.graph.get(`${networkOf(target).messagingPath(target)}/subscribed_apps`, {}, target.access),
  )
  return apps.flatMap((app) => {
    const fields = toRecord(app)?.subscribed_fields
    return Array.isArray(fields) ? fields.map(String) : []
  })
}

/** Subscribes our app to these fields of a channel, which replace the previous ones. */
export async function subscribe(target: ChannelTarget, fields: readonly string[]): Promise<void> {
  const params = { subscribed_fields: fields.join(',') }
  await target.graph.post(`${networkOf(target).messagingPath(target)}/subscribed_apps`, params, target.access)
}

/**
 * A profile as the platform sends it, untrusted. A person who writes to a page has two names; on Instagram the name is one
 * text.
 */
export interface PlatformProfile {
  given: unknown
  family: unknown
  whole: unknown
  user: unknown
  picture: unknown
}

/** Reads the profile of a person who wrote to a page or account, as far as the platform shows it. */
export async function readProfile(target: ChannelTarget, personId: string): Promise<PlatformProfile> {
  const { graph, access } = target
  const answer = await graph.get(`/${requireId(personId)}`, { fields: networkOf(target).profileFields }, access)
  const { first_name: given, last_name: family, name: whole, username: user, profile_pic: picture } = answer
  return { given, family, whole, user, picture }
}
