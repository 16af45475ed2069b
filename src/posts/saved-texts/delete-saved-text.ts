import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { savedTextParams } from './saved-text.js'
import { deleteSavedTextRow, lockSavedText } from './saved-texts.store.js'

/** Delete a saved text. Posts that took it keep what they have. */
export const deleteSavedText = operation({
  operationId: 'deleteSavedText',
  summary: 'Delete a saved text or a group of hashtags.',
  description: 'Posts that took it keep what they have. Costs one small transaction.',
  method: 'DELETE',
  path: '/saved-texts/{savedTextId}',
  surfaces: ['api'],
  permission: 'posts:write',
  answers: [200, 404],
  params: savedTextParams,
  success: namedObject('DeletedSavedText', { id: Joi.string().required() }),
  async handle({ params: { savedTextId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSavedText', async (tx, record) => {
      const { kind, name } = await lockSavedText(tx, organizationId, savedTextId)
      await deleteSavedTextRow(tx, organizationId, savedTextId)
      await record('savedText', savedTextId, { kind, name })
    })
    return ok({ id: savedTextId })
  },
})
