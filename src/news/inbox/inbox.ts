import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { POST_STATUSES } from '../../interface/post-status.js'

/** A post as people know it: by the beginning of its text, and when it is due. */
export const namedPostBody = namedObject('NamedPost', {
  id: Joi.string().required(),
  text: Joi.string().allow('').required().description('The beginning of the first text that it has.'),
  status: Joi.string()
    .valid(...POST_STATUSES)
    .required(),
  scheduledFor: Joi.string().description('Left out for a post without a time.'),
})
