import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { LinkedPerson } from '../../interface/generated/types.js'
import { isPlaceholder, type OutsideId } from '../facts.js'
import { findForgotten } from '../live/forgotten-ids.store.js'
import { deleteLink, findPeopleOf, insertLinks, keyOf, listTakenCuids } from '../live/ids.store.js'
import { lockLiveAudience } from '../live/live-audiences.store.js'
import { refreshPeople } from '../live/refresh.store.js'
import { findPersonDetails } from './person-details.store.js'

const ANY = { conversations: 1, purchases: 1 }
const KINDS = ['userId', 'anonymousId', 'shopify', 'woocommerce'] as const
const kindSchema = Joi.string<(typeof KINDS)[number]>().valid(...KINDS)

const shared = {
  permission: 'audience:write',
  success: namedObject('LinkedPerson', {
    cuid: Joi.string().required(),
    kind: Joi.string().required(),
    id: Joi.string().required(),
  }),
} as const

/** Link an outside id to a person by hand. What was bought with the id counts at once. Idempotent. */
export const linkPerson = operation({
  ...shared,
  operationId: 'linkPerson',
  summary: 'Link an outside id to a person by hand.',
  description:
    'For an id that no event links: purchases and profile fields that came with it count at once. An id of another person is refused: unlink it first. Idempotent. Costs one small transaction.',
  route: 'POST /people/{cuid}/links',
  answers: [200, 400, 404, 409],
  body: namedObject('NewPersonLink', {
    kind: kindSchema.required(),
    id: Joi.string()
      .max(256)
      .custom((id: string, { error }) => (isPlaceholder(id) ? error('string.placeholder') : id))
      .messages({ 'string.placeholder': '{{#label}} stands for an unknown id, and links no one' })
      .required(),
  }),
  async handle({ params: { cuid }, body, principal }, context) {
    const { organizationId } = principal
    const outside = body as OutsideId
    await changeAudited(context, principal, 'linkPerson', async (tx, record) => {
      const live = await requireLive(tx, organizationId)
      if ((await findPersonDetails(tx, organizationId, cuid, ANY)) === undefined) throw new ApiError('person_not_found')
      if ((await findForgotten(tx, organizationId, [outside])).size > 0) throw new ApiError('id_forgotten')
      const owner = (await findPeopleOf(tx, organizationId, [outside])).get(keyOf(outside))
      if ((owner ?? ownCuid(outside)) === cuid) return
      const isTaken = outside.kind === 'userId' && (await listTakenCuids(tx, organizationId, [outside.id])).length > 0
      if (owner !== undefined || isTaken) throw new ApiError('id_linked')
      await insertLinks(tx, organizationId, [{ ...outside, cuid }], {
        sourceId: null,
        at: new Date(context.clock.now()),
      })
      await refreshPeople(tx, organizationId, live, [cuid])
      await record('personLink', outside.kind)
    })
    return ok({ cuid, ...body } satisfies LinkedPerson)
  },
})

const ownCuid = ({ kind, id }: OutsideId): string | undefined => (kind === 'userId' ? id : undefined)

/** Unlink an outside id from a person. What was bought with it no longer counts for them. */
export const unlinkPerson = operation({
  ...shared,
  operationId: 'unlinkPerson',
  summary: 'Unlink an outside id from a person.',
  description:
    'For an id that was linked by mistake: what was bought with it waits again. Profile fields that it gave stay in conversations until newer ones come. Costs one small transaction.',
  route: 'DELETE /people/{cuid}/links/{kind}/{id}',
  answers: [200, 404],
  async handle({ params: { cuid, kind, id }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'unlinkPerson', async (tx, record) => {
      const live = await requireLive(tx, organizationId)
      if (!(await deleteLink(tx, organizationId, { kind, id, cuid }))) throw new ApiError('link_not_found')
      // A cuid that was an id of another person is a person of its own again.
      await refreshPeople(tx, organizationId, live, kind === 'userId' ? [cuid, id] : [cuid])
      await record('personLink', kind)
    })
    return ok({ cuid, kind, id } satisfies LinkedPerson)
  },
})

/** An organization without a source has no outside ids, and so no person with one. */
async function requireLive(tx: Queryable, organizationId: string) {
  const live = await lockLiveAudience(tx, organizationId)
  if (live === undefined) throw new ApiError('person_not_found')
  return live
}
