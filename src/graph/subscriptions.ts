import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { readData, requireId } from './reading.js'

// These calls concern the updates that our app is sent, and the people who write to a page. Every function throws a
// GraphError.

/** The fields that our app is sent for an object. */
export async function listSubscribedFields(graph: GraphClient, access: GraphAccess, id: string): Promise<string[]> {
  const apps = readData(await graph.get(`/${requireId(id)}/subscribed_apps`, {}, access))
  return apps.flatMap((app) => {
    const fields = toRecord(app)?.subscribed_fields
    return Array.isArray(fields) ? fields.map(String) : []
  })
}

/** Has our app sent these fields of an object; those before are replaced. */
export async function subscribe(
  graph: GraphClient,
  access: GraphAccess,
  id: string,
  fields: readonly string[],
): Promise<void> {
  await graph.post(`/${requireId(id)}/subscribed_apps`, { subscribed_fields: fields.join(',') }, access)
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
  pages: 'first_name,last_name,profile_pic',
  instagram: 'name,username,profile_pic',
} as const

/** The profile of a person who wrote to a page or account, as far as the platform tells it. */
export async function readProfile(
  graph: GraphClient,
  access: GraphAccess & { useCase: keyof typeof PROFILE_FIELDS },
  personId: string,
): Promise<PlatformProfile> {
  const answer = await graph.get(`/${requireId(personId)}`, { fields: PROFILE_FIELDS[access.useCase] }, access)
  const { first_name: given, last_name: family, name: whole, username: user, profile_pic: picture } = answer
  return { given, family, whole, user, picture }
}
