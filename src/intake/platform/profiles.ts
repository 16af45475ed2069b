import { applyFacts } from '../../audience/live/apply-facts.js'
import { metaKind } from '../../audience/live/ids.store.js'
import { lockLiveAudience } from '../../audience/live/live-audiences.store.js'
import { findConnectedChannel, openTarget } from '../../channels/open-target.js'
import { GraphError } from '../../graph/graph-error.js'
import { type PlatformProfile, readProfile } from '../../networks/subscriptions.js'
import { giveUpAfter } from '../../work/backoff.js'
import { type Claimed, claimDue, deleteClaimed, putOff } from '../../work/claims.store.js'
import { workSideBySide } from '../../work/side-by-side.js'
import { knownFields, readName, readPicture } from '../decoders/values.js'
import type { ProfileFields } from '../facts.js'
import { findMetaSource, WANTED_PROFILES } from './platform.store.js'
import type { PlatformContext } from './subscriptions.js'

interface Wanted extends Claimed {
  organization_id: string
  channel_id: string
  conversation_id: string
  attempts: number
}

const LEASE_MS = 60_000
const AT_ONCE = 20
const BACK_OFF = giveUpAfter(60_000, 5 * 60_000, 30 * 60_000, 4 * 3_600_000)
/** Reads the profiles of new conversations, each once. What the platform refuses stays empty. */
export async function readWantedProfiles(context: PlatformContext): Promise<void> {
  const { database, clock } = context
  await workSideBySide<Wanted>({
    max: AT_ONCE,
    claim: (request) =>
      claimDue<Wanted>(database, WANTED_PROFILES, { ...request, now: new Date(clock.now()), leaseMs: LEASE_MS }),
    async work(row) {
      await readOne(context, row)
      return 1
    },
  })
}

async function readOne(context: PlatformContext, row: Wanted): Promise<void> {
  const { database, clock } = context
  try {
    const fields = await askPlatform(context, row)
    if (fields !== undefined) await applyProfile(context, row, fields)
    await deleteClaimed(database, WANTED_PROFILES, row)
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    const isPassing = ['transient', 'timeout', 'network', 'rate-limited'].includes(error.kind)
    const waitMs = isPassing ? BACK_OFF.after(row.attempts) : undefined
    if (waitMs === undefined) await deleteClaimed(database, WANTED_PROFILES, row)
    else await putOff(database, WANTED_PROFILES, row, new Date(clock.now() + waitMs))
  }
}

/** Returns undefined if the channel is not connected to its platform. */
async function askPlatform(
  { database, graph, sealer }: PlatformContext,
  { organization_id: organizationId, channel_id: channelId, conversation_id: personId }: Wanted,
): Promise<ProfileFields | undefined> {
  const channel = await findConnectedChannel(database, organizationId, channelId)
  if (channel === undefined || !/^\d{1,32}$/.test(personId)) return undefined
  return toProfileFields(await readProfile(openTarget({ graph, sealer }, channel), personId))
}

/** On Instagram a name is one text. */
function toProfileFields({ given, family, whole, user, picture }: PlatformProfile): ProfileFields {
  const [first, ...others] = readName(whole)?.split(/\s+/) ?? []
  return knownFields({
    firstName: readName(given) ?? first,
    lastName: readName(family) ?? readName(others.join(' ')),
    userName: readName(user),
    profilePic: readPicture(picture),
  })
}

async function applyProfile(
  { database, clock }: PlatformContext,
  { organization_id: organizationId, channel_id: channelId, conversation_id: id }: Wanted,
  fields: ProfileFields,
): Promise<void> {
  if (Object.keys(fields).length === 0) return
  await database.transaction(async (tx) => {
    const live = await lockLiveAudience(tx, organizationId)
    const source = await findMetaSource(tx, organizationId)
    if (live === undefined || source === undefined) return
    const now = new Date(clock.now())
    const who = { kind: metaKind(channelId), id }
    const fact = { type: 'profile', who, fields, at: now.getTime() } as const
    await applyFacts(tx, { organizationId, sourceId: source.source_id, live, now }, [{ item: '', fact }])
  })
}
