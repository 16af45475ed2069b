import { ApiError } from '../../errors.js'
import { created, serverOperation } from '../../http/operation.js'
import { recordAccountAudit } from '../audit.store.js'
import { holdRights } from '../hold-rights.js'
import { entryLinkBody } from './invitation.js'
import { issueSignInLink } from './owner-link.js'
import { lockPerson } from './people.store.js'
import { personParams } from './person.js'

/** Make a link that lets a person in once, such as one who has forgotten the password. */
export const createSignInLink = serverOperation({
  operationId: 'createSignInLink',
  summary: 'Make a link that lets a person in, once and for 15 minutes.',
  description:
    'For a forgotten password: in the session that begins with it a new one is set without the present one, once and within ten minutes. An earlier link of the person ends. Costs one small transaction.',
  method: 'POST',
  path: '/people/{personId}/sign-in-link',
  surfaces: ['operator'],
  permission: 'operator',
  needsConfirmation: true,
  answers: [201, 404],
  params: personParams,
  success: entryLinkBody,
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const at = new Date(clock.now())
    const link = await database.transaction(async (tx) => {
      await holdRights(tx, { actor }, 'operator')
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      await recordAccountAudit(tx, actor, personId, { at, operation: 'createSignInLink' })
      return await issueSignInLink(tx, personId, at, actor)
    })
    return created(link)
  },
})
