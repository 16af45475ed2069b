import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { named } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { UpdatedPerson } from '../../interface/generated/types.js'
import { recordAccountAudit } from '../audit.store.js'
import { renewSessions } from '../sessions/renew-sessions.js'
import { endedGrantsBody, endLostGrants } from './grants.js'
import { deleteIdentities } from './identities.store.js'
import { findPerson, lockOwners, lockPeople, lockPerson, updatePersonRow } from './people.store.js'
import { personBody, toPersonBody } from './person.js'
import { proveAddress } from './prove-address.js'

/** One call names so many keys at most; a person at a console ticks fewer. */
const KEYS_MAX = 1_000

const updatedPersonBody = named(
  'UpdatedPerson',
  (personBody as Joi.ObjectSchema).keys({ ended: endedGrantsBody.required() }),
)

/** Make a person an owner of the server or not, let the person in or not. */
export const updatePerson = serverOperation({
  operationId: 'updatePerson',
  summary:
    'Make a person an owner of the server or not, deactivate an account or activate it, or vouch for its mail address.',
  description:
    "For one who leaves: a deactivated person does not get in, and keeps the name in every history; its link to the identity provider goes. It holds at once, on every node; the person's sessions end, and so do open invitations, links and operator tokens that the person made and may make no more. API keys that they issued go on, unless `revokeKeys` names them: getPersonGrants lists them. The last active owner stays one. Idempotent. Costs one small transaction.",
  route: 'PATCH /server/people/{personId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400, 404, 409],
  body: named(
    'PersonPatch',
    Joi.object({
      owner: Joi.boolean(),
      active: Joi.boolean(),
      mailProven: Joi.boolean().valid(true).description('You vouch for the mail address; it cannot be taken back.'),
      revokeKeys: Joi.alternatives(
        Joi.array().items(Joi.string()).max(KEYS_MAX),
        Joi.string().valid('all'),
      ).description('Live keys that the person issued, to be revoked in the same step: their ids, or `all`.'),
    }).min(1),
  ),
  success: updatedPersonBody,
  async handle(
    { params: { personId }, body: { revokeKeys = [], ...body }, principal, headers, caller: { ip } },
    { clock, database },
  ) {
    const now = new Date(clock.now())
    const { row, ended, cookie } = await database.transaction(async (tx) => {
      const mails = body.mailProven ? [(await findPerson(tx, personId))?.mail ?? ''] : []
      await lockPeople(tx, { ids: [personId], mails, owners: true })
      const owners = await lockOwners(tx)
      const before = await lockPerson(tx, personId)
      if (body.mailProven && before !== undefined) {
        await proveAddress(tx, before, {
          at: now,
          actor: principal.actor,
          operation: 'updatePerson',
          keeps: 'everything',
        })
      }
      const row = await updatePersonRow(tx, personId, body)
      const ending = { actor: principal.actor, at: now, organizationId: null, leaves: !row.active, revokeKeys }
      if (before?.owner === row.owner && before.active === row.active) {
        return { row, ended: await endLostGrants(tx, personId, ending), cookie: undefined }
      }
      const isOwner = row.owner && row.active
      if (!isOwner && owners.length === 1 && owners[0] === personId) throw new ApiError('last_owner')
      const changes = { ...body }
      await recordAccountAudit(tx, principal.actor, personId, { at: now, operation: 'updatePerson', changes })
      // When the account is active again, the next sign-in there links it again.
      if (!row.active) await deleteIdentities(tx, personId)
      const ended = await endLostGrants(tx, personId, ending)
      return { row, ended, cookie: await renewSessions(tx, row, { principal, headers, ip, now }) }
    })
    return ok({ ...toPersonBody(row), ended } satisfies UpdatedPerson, cookie)
  },
})
