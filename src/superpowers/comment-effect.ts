import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { oneOf } from '../http/params.js'
import { EFFECT_REASONS, EFFECT_STATES, EFFECTS } from '../interface/automation.js'

/** An effect of a decided comment, or of one that is being explained. */
export const commentEffectBody = namedObject('CommentEffect', {
  effect: oneOf(EFFECTS).required(),
  state: oneOf(EFFECT_STATES).required(),
  reason: Joi.string()
    .valid(...EFFECT_REASONS, null)
    .required(),
  at: Joi.string().isoDate().required().description('When the effect ended or, if it is planned, when it is due.'),
  text: Joi.string().allow(null, '').required().description('The text of the reply; null for a like.'),
})
