import Joi from 'joi'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import { nameSchema, oneOf } from '../../http/params.js'
import type { SavedText } from '../../interface/generated/types.js'
import { SAVED_TEXT_KINDS } from '../../interface/saved-texts.js'
import { newId } from '../../lib/ids.js'
import { limit } from '../../lib/limits.js'
import {
  countSavedTexts,
  deleteSavedTextRow,
  insertSavedText,
  listSavedTextRows,
  lockSavedText,
  updateSavedTextRow,
} from './saved-texts.store.js'

const savedTextFields = {
  kind: oneOf(SAVED_TEXT_KINDS).required(),
  name: nameSchema.trim().required().description('Unique within its kind, ignoring case.'),
  text: Joi.string().max(limit('savedTextChars')).pattern(/\S/, 'not blank').required(),
}

const savedTextBody = namedObject('SavedText', { id: Joi.string().required(), ...savedTextFields })

/**
 * List the texts and groups of hashtags that the organization keeps, by name. There are few, so one page has all.
 * Idempotent.
 */
export const listSavedTexts = operation({
  operationId: 'listSavedTexts',
  summary: 'List the saved texts and hashtag groups by name.',
  description: 'Use it while writing a post, to insert one of them into its text. Costs one read.',
  route: 'GET /saved-texts',
  permission: 'posts:read',
  answers: [200],
  success: Joi.array().items(savedTextBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    const texts = await listSavedTextRows(database, organizationId)
    meter.rows = texts.length
    return ok(texts)
  },
})

/** Save a text, or a group of hashtags, for the posts of the organization. */
export const createSavedText = operation({
  operationId: 'createSavedText',
  summary: 'Save a text or a hashtag group for posts.',
  description:
    'Use it for text that several posts share. A post takes a copy, so later changes do not affect it. Names are unique within a kind. Costs one small transaction.',
  route: 'POST /saved-texts',
  permission: 'posts:write',
  answers: [201, 400, 409],
  body: namedObject('NewSavedText', savedTextFields),
  success: savedTextBody,
  async handle({ body: { kind, name, text }, principal }, context) {
    const saved: SavedText = { id: newId('text'), kind, name, text }
    await changeAudited(context, principal, 'createSavedText', async (tx, record) => {
      const { organizationId } = principal
      if ((await countSavedTexts(tx, organizationId)) >= limit('savedTexts')) throw new ApiError('saved_texts_full')
      await insertSavedText(tx, organizationId, saved, new Date(context.clock.now()))
      await record('savedText', saved.id, { kind, name })
    })
    return created(saved)
  },
})

/** Rename a saved text, or replace its content. Posts that used it keep their text. Idempotent. */
export const updateSavedText = operation({
  operationId: 'updateSavedText',
  summary: 'Rename a saved text or hashtag group, or replace its text.',
  description: 'Posts that used it keep their text. Idempotent. Costs one small transaction.',
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
    const saved = await changeAudited(context, principal, 'updateSavedText', async (tx, record) => {
      const before = await lockSavedText(tx, organizationId, savedTextId)
      const after = { ...before, name: body.name ?? before.name, text: body.text ?? before.text }
      if (after.name === before.name && after.text === before.text) return before
      await updateSavedTextRow(tx, organizationId, after, new Date(context.clock.now()))
      // The list shows the new text.
      await record('savedText', savedTextId, {
        name: after.name,
        ...(after.text === before.text ? {} : { text: 'replaced' }),
      })
      return after
    })
    return ok(saved)
  },
})

/** Delete a saved text. Posts that used it keep their text. */
export const deleteSavedText = operation({
  operationId: 'deleteSavedText',
  summary: 'Delete a saved text or hashtag group.',
  description: 'Posts that used it keep their text. Costs one small transaction.',
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
