import { days, integer, onOff, token } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const access = group(
  {
    operatorToken: setting('OPERATOR_TOKEN', token, { secret: true }).about(
      'Bearer token of `/api`, 16 characters or more; without it there is no `/api`.',
    ),
    keyMaxAgeMs: setting('KEY_MAX_AGE_DAYS', days()).about(
      'Greatest age of a key in days, 1 to 3650: it ends so long after it was issued, also one that was issued before this was set.',
    ),
    operatorTokenMaxAgeMs: setting('OPERATOR_TOKEN_MAX_AGE_DAYS', days()).about(
      'The same for operator tokens; OPERATOR_TOKEN itself does not end.',
    ),
    personalTokenMaxAgeMs: setting('PERSONAL_TOKEN_MAX_AGE_DAYS', days(1, 365), { default: '365' }).about(
      'Greatest age of a personal token in days, 1 to 365, including tokens that were made before.',
    ),
    clockSkewSeconds: setting('CLOCK_SKEW_SECONDS', integer(0, 300), { default: '5' }).about(
      'How far in the future an `x-date` may lie, 0 to 300.',
    ),
    /** True if people can sign in with passwords and set them. */
    passwords: setting('PASSWORDS', onOff, { default: 'on' }).about(
      '`off` lets people sign in by OIDC_ISSUER alone; links made by the operator let in all the same.',
    ),
  },
  {
    check: ({ passwords }, textOf) => [
      !passwords && textOf('OIDC_ISSUER') === '' && 'PASSWORDS=off needs OIDC_ISSUER: no one could sign in.',
    ],
  },
)

export type AccessConfig = ConfigOf<typeof access>
