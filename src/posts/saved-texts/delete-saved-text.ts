import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { deleteSavedTextRow, lockSavedText } from './saved-texts.store.js'

/** Delete a saved text. Posts that took it keep what they have. */
export const deleteSavedText = operation({
  operationId: 'deleteSavedText',
  summary: 'Delete a saved text or a group of hashtags.',
  description: 'Posts that took it keep what they have. Costs one small transaction.',
  route: 'DELETE /saved-texts/{savedTextId}',
  permission: 'posts:write',
  answers: [200, 404],
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
