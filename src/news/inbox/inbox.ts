import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { POST_STATUSES } from '../../interface/post-status.js'

/** A post as people recognize it: by the beginning of its text and its time. */
export const namedPostBody = namedObject('NamedPost', {
  id: Joi.string().required(),
  text: Joi.string().allow('').required().description('The beginning of its first caption.'),
  status: Joi.string()
    .valid(...POST_STATUSES)
    .required(),
  scheduledFor: Joi.string().description('Absent for a post without a time.'),
})
