import { created, serverOperation } from '../../http/operation.js'
import type { EntryLink } from '../../interface/people.js'
import { recordServerAudit } from '../audit.store.js'
import { holdRights } from '../hold-rights.js'
import { entryLinkBody } from './invitation.js'
import { issueOwnerLink } from './owner-link.js'

/** Make the link by which a person becomes an owner of the server. An earlier one ends. */
export const inviteOwner = serverOperation({
  operationId: 'inviteOwner',
  summary: 'Make the link by which a person becomes an owner of the server.',
  description:
    'For the first owner, when the link of the first start is over, and for a further one. It works once and for an hour; an earlier one ends. Costs one small transaction.',
  method: 'POST',
  path: '/owner-invitation',
  surfaces: ['operator', 'console'],
  permission: 'operator',
  needsConfirmation: true,
  answers: [201],
  success: entryLinkBody,
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
