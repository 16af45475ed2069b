import { ApiError } from '../../errors.js'
import { created, serverOperation } from '../../http/operation.js'
import type { EntryLink } from '../../interface/generated/types.js'
import { recordAccountAudit, recordServerAudit } from '../audit.store.js'
import { holdRights } from '../hold-rights.js'
import { entryLinkBody } from './invitation.js'
import { issueOwnerLink, issueSignInLink } from './owner-link.js'
import { lockPeople, lockPerson } from './people.store.js'

const shared = {
  permission: 'operator',
  needsConfirmation: true,
  success: entryLinkBody,
} as const

/** Make the link by which a person becomes an owner of the server. An earlier one ends. */
export const inviteOwner = serverOperation({
  ...shared,
  operationId: 'inviteOwner',
  summary: 'Make the link by which a person becomes an owner of the server.',
  description:
    'For the first owner, when the link of the first start is over, and for a further one. It works once and for an hour; an earlier one ends. Costs one small transaction.',
  route: 'POST /server/owner-invitation',
  answers: [201],
  async handle({ principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const link = await database.transaction(async (tx) => {
      await holdRights(tx, { actor }, 'operator')
      await recordServerAudit(tx, actor, { at, operation: 'inviteOwner', target: { type: 'invitation', id: 'owner' } })
      return await issueOwnerLink(tx, at, actor)
    })
    return created(link satisfies EntryLink)
  },
})

/** Make a link that lets a person in once, such as one who has forgotten the password. */
export const createSignInLink = serverOperation({
  ...shared,
  operationId: 'createSignInLink',
  summary: 'Make a link that lets a person in, once and for 15 minutes.',
  description:
    'For a forgotten password: in the session that begins with it a new one is set without the present one, once and within ten minutes. An earlier link of the person ends. Costs one small transaction.',
  route: 'POST /server/people/{personId}/sign-in-link',
  answers: [201, 404],
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const link = await database.transaction(async (tx) => {
      await lockPeople(tx, { ids: [personId, ...(actor.type === 'user' ? [actor.id] : [])] })
      await holdRights(tx, { actor }, 'operator')
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      await recordAccountAudit(tx, actor, personId, { at, operation: 'createSignInLink' })
      return await issueSignInLink(tx, personId, at, actor)
    })
    return created(link)
  },
})
