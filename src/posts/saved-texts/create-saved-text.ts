import { changeAudited } from '../../access/audited-change.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, operation } from '../../http/operation.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import { savedTextBody, savedTextFields, toSavedTextBody } from './saved-text.js'
import { countSavedTexts, insertSavedText } from './saved-texts.store.js'

/** Save a text, or a group of hashtags, for the posts of the organization. */
export const createSavedText = operation({
  operationId: 'createSavedText',
  summary: 'Save a text, or a group of hashtags, for posts.',
  description:
    'For what several posts say alike. A post takes it as text, and keeps it when this one changes. The second one of a name and kind is refused. Costs one small transaction.',
  route: 'POST /saved-texts',
  permission: 'posts:write',
  answers: [201, 400, 409],
  body: namedObject('NewSavedText', savedTextFields),
  success: savedTextBody,
  async handle({ body: { kind, name, text }, principal }, context) {
    const row = { saved_text_id: newId('text'), kind, name, text }
    await changeAudited(context, principal, 'createSavedText', async (tx, record) => {
      const { organizationId } = principal
      if ((await countSavedTexts(tx, organizationId)) >= limit('savedTexts')) throw new ApiError('saved_texts_full')
      await insertSavedText(tx, organizationId, row, new Date(context.clock.now()))
      await record('savedText', row.saved_text_id, { kind, name })
    })
    return created(toSavedTextBody(row))
  },
})
