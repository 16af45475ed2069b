import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { named } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { savedTextBody, savedTextFields, toSavedTextBody } from './saved-text.js'
import { lockSavedText, updateSavedTextRow } from './saved-texts.store.js'

/** Rename a saved text, or replace what it says. Posts that took it keep what they have. Idempotent. */
export const updateSavedText = operation({
  operationId: 'updateSavedText',
  summary: 'Rename a saved text or a group of hashtags, or replace what it says.',
  description: 'Posts that took it keep what they have. Idempotent. Costs one small transaction.',
  route: 'PATCH /saved-texts/{savedTextId}',
  permission: 'posts:write',
  answers: [200, 400, 404, 409],
  body: named(
    'SavedTextPatch',
    Joi.object({
      name: savedTextFields.name.optional(),
      text: savedTextFields.text.optional(),
    }).min(1),
  ),
  success: savedTextBody,
  async handle({ params: { savedTextId }, body, principal }, context) {
    const { organizationId } = principal
    const row = await changeAudited(context, principal, 'updateSavedText', async (tx, record) => {
      const before = await lockSavedText(tx, organizationId, savedTextId)
      const after = { ...before, name: body.name ?? before.name, text: body.text ?? before.text }
      if (after.name === before.name && after.text === before.text) return before
      await updateSavedTextRow(tx, organizationId, after, new Date(context.clock.now()))
      // The new text is in the list.
      await record('savedText', savedTextId, {
        name: after.name,
        ...(after.text === before.text ? {} : { text: 'replaced' }),
      })
      return after
    })
    return ok(toSavedTextBody(row))
  },
})
