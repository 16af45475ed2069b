import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { unrepeated } from '../../http/params.js'
import { hashToken } from '../../lib/tokens.js'

/** Letters that a person types in any case, with blanks and hyphens anywhere. */
export const userCodeFields = {
  userCode: unrepeated(Joi.string().max(40)).required().description('As the program shows it.'),
}
export const userCodeBody = namedObject('UserCode', userCodeFields)

/** The stored form of a code, however it is written. */
export const hashUserCode = (code: string): string => hashToken(code.toUpperCase().replaceAll(/[\s-]/g, ''))
