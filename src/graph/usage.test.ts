import { expect, it } from 'vitest'
import { type LimitedObject, readUsage } from './usage.js'

const CALLED: LimitedObject = { limitKey: '1', useCase: 'ads' }

const useCase = (fields: Record<string, unknown>): Record<string, unknown> => ({
  type: 'ads_insights',
  call_count: 1,
  ...fields,
})

it.each<[string, Record<string, string>, number | undefined, number]>([
  ['no header', {}, undefined, 0],
  ['app usage', { 'x-app-usage': '{"call_count":28,"total_time":25,"total_cputime":90}' }, 90, 0],
  [
    'a use case that is limited, in minutes, among several',
    {
      'x-business-use-case-usage': JSON.stringify({
        1: [useCase({ total_time: 12 }), useCase({ call_count: 100, estimated_time_to_regain_access: 19 })],
        2: [useCase({})],
      }),
    },
    100,
    1140,
  ],
  ['an account not yet full', { 'x-ad-account-usage': '{"acc_id_util_pct":99.9,"reset_time_duration":100}' }, 99.9, 0],
  [
    'a full account, in seconds',
    { 'x-ad-account-usage': '{"acc_id_util_pct":100,"reset_time_duration":100}' },
    100,
    100,
  ],
  ['insights usage', { 'x-fb-ads-insights-throttle': '{"app_id_util_pct":2.5,"acc_id_util_pct":81}' }, 81, 0],
  ['numbers as text', { 'x-app-usage': '{"call_count":"28"}' }, 28, 0],
  ['no JSON', { 'x-app-usage': 'call_count=1', 'x-business-use-case-usage': '{' }, undefined, 0],
  ['other JSON', { 'x-app-usage': '[null]', 'x-business-use-case-usage': '{"1":null,"2":[7]}' }, undefined, 0],
  ['an empty header', { 'x-ad-account-usage': '' }, undefined, 0],
  [
    'a time that would never end',
    { 'x-business-use-case-usage': '{"1":[{"type":"ads_insights","estimated_time_to_regain_access":1e12}]}' },
    undefined,
    86_400,
  ],
  [
    'a use case of another account, and another use case of this one',
    {
      'x-business-use-case-usage': JSON.stringify({
        1: [useCase({ type: 'pages', call_count: 100, estimated_time_to_regain_access: 19 })],
        12: [useCase({ call_count: 100, estimated_time_to_regain_access: 19 })],
      }),
    },
    undefined,
    0,
  ],
  [
    'an account written with act_',
    { 'x-business-use-case-usage': JSON.stringify({ act_1: [useCase({ estimated_time_to_regain_access: 1 })] }) },
    1,
    60,
  ],
])('meta-graph 2.3: usage headers: %s', (_name, headers, highestPercent, blockedSeconds) => {
  expect(readUsage(new Headers(headers), CALLED)).toEqual({ highestPercent, blockedSeconds })
})

it('the headers of ad accounts do not affect a page', () => {
  const headers = {
    'x-ad-account-usage': '{"acc_id_util_pct":100,"reset_time_duration":100}',
    'x-fb-ads-insights-throttle': '{"app_id_util_pct":100,"acc_id_util_pct":100}',
    'x-business-use-case-usage': JSON.stringify({ 1: [useCase({ type: 'pages', call_count: 7 })] }),
  }
  const usage = readUsage(new Headers(headers), { limitKey: '1', useCase: 'pages' })
  expect(usage).toEqual({ highestPercent: 7, blockedSeconds: 0 })
})
