import { toRecord } from '../lib/json.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphClient } from './graph-client.js'
import { readData, requireId } from './reading.js'

// What the platform sends to our app, and what it tells of the people who write to it. Every function throws a GraphError.

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

/** The profile of a person who wrote to a page or account, as far as the platform tells it. */
export async function readProfile(
  graph: GraphClient,
  access: GraphAccess,
  personId: string,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  return await graph.get(`/${requireId(personId)}`, { fields: fields.join(',') }, access)
}
