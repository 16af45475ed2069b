import { days, integer, onOff, token } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const access = group(
  {
    operatorToken: setting('OPERATOR_TOKEN', token, { secret: true }).about(
      'Bearer token of the operator for `/api`, 16 characters or more.',
    ),
    keyMaxAgeMs: setting('KEY_MAX_AGE_DAYS', days()).about(
      'Keys expire this many days after issue, 1 to 3650, including existing keys.',
    ),
    operatorTokenMaxAgeMs: setting('OPERATOR_TOKEN_MAX_AGE_DAYS', days()).about(
      'Operator tokens expire this many days after issue, including existing ones. OPERATOR_TOKEN itself never expires.',
    ),
    personalTokenMaxAgeMs: setting('PERSONAL_TOKEN_MAX_AGE_DAYS', days(1, 365), { default: '365' }).about(
      'Personal tokens expire this many days after they were created, 1 to 365, including existing ones.',
    ),
    clockSkewSeconds: setting('CLOCK_SKEW_SECONDS', integer(0, 300), { default: '5' }).about(
      'Seconds by which an `x-date` may be in the future, 0 to 300.',
    ),
    /** True if people can sign in with passwords and set them. */
    passwords: setting('PASSWORDS', onOff, { default: 'on' }).about(
      '`off` allows sign-in only through OIDC_ISSUER. Links created by the operator still work.',
    ),
  },
  {
    check: ({ passwords }, textOf) => [
      !passwords && textOf('OIDC_ISSUER') === '' && 'PASSWORDS=off needs OIDC_ISSUER, or no one can sign in.',
    ],
  },
)

export type AccessConfig = ConfigOf<typeof access>
