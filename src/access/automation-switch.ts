import Joi from 'joi'
import { ApiError } from '../errors.js'
import type { Principal } from '../http/principal.js'
import { AUTOMATION_MODES } from '../interface/automation.js'

/** `shadow` is a dry run. */
export const automationSchema = Joi.string().valid(...AUTOMATION_MODES)

/** Throws permission_missing for a caller who may change other settings and not this one. */
export function requireAutomationManager({ permissions }: Pick<Principal, 'permissions'>): void {
  if (permissions.has('automation:manage')) return
  throw new ApiError('permission_missing', {
    message: 'Changing what superpowers do requires the permission automation:manage, which you do not hold.',
  })
}
