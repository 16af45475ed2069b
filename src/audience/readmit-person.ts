import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { lockOrganization } from '../access/organizations.store.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { deleteErasure } from './erased-people.store.js'
import { deleteForgotten } from './live/forgotten-ids.store.js'

/** Let imports bring an erased person back. Nothing that was erased comes back by itself. Idempotent. */
export const readmitPerson = operation({
  operationId: 'readmitPerson',
  summary: 'Let imports bring an erased person back.',
  description:
    'For a person who agrees again. What was erased does not come back by itself: import it. Idempotent. Costs one small transaction.',
  route: 'POST /people/{cuid}/readmit',
  permission: 'audience:write',
  answers: [200, 404],
  success: namedObject('PersonReadmission', {
    readmitted: Joi.boolean().required().description('Whether the person had been erased.'),
  }),
  async handle({ params: { cuid }, principal }, context) {
    const { organizationId } = principal
    const readmitted = await changeAudited(context, principal, 'readmitPerson', async (tx, record) => {
      await lockOrganization(tx, organizationId)
      const id = await deleteErasure(tx, organizationId, cuid)
      if (id !== undefined) {
        await deleteForgotten(tx, organizationId, id)
        await record('person', id)
      }
      return id !== undefined
    })
    return ok({ readmitted })
  },
})
