import { AUTOMATION_MODES, type AutomationMode } from '../../interface/automation.ts'
import { LANGUAGES, type Language, languages } from '../../interface/languages.ts'
import { ApiError, call } from '../api.ts'
import { RadioField, SelectField, TextField, ZoneField } from '../fields.tsx'
import { Form, Switch, textIn } from '../forms.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Note } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { common, factors as factorWords, settings as words } from '../words.ts'
import { Reviewers } from './reviewers.tsx'
import { done, type Question, Section, useChanges } from './section.tsx'

/** The organization's name, time zone, email language, and second-factor requirement. */
export function OrganizationSettings() {
  const { id: organizationId, name, organizationTimeZone: timeZone, language, currency, may } = useOrganization()
  const nowMs = useNow()
  const { busy, error, change } = useChanges(['me'])
  const save = (form: FormData) => {
    const written = textIn(form, 'currency').toUpperCase()
    const body = {
      name: textIn(form, 'name'),
      timeZone: textIn(form, 'timeZone'),
      language: textIn(form, 'language') as Language,
      ...(written !== (currency ?? '') && { currency: written || null }),
    }
    return change(() => done(call('updateOrganization', { organizationId, body }), words.saved))
  }
  return (
    <>
      <Form className="card form" error={error} onSubmit={save}>
        <TextField label={words.name} name="name" required maxLength={200} defaultValue={name} />
        <ZoneField
          label={words.timeZone}
          hint={words.timeZoneHint({ zone: zoneName(timeZone), time: formatInstant(nowMs, timeZone, 'time') })}
          name="timeZone"
          zone={timeZone}
        />
        <SelectField
          label={words.mailLanguage}
          hint={words.mailLanguageHint}
          name="language"
          values={LANGUAGES}
          textOf={(one) => languages[one].name}
          selected={language}
        />
        <TextField
          label={words.ownCurrency}
          hint={words.ownCurrencyHint}
          name="currency"
          maxLength={3}
          pattern="[A-Za-z]{3}"
          defaultValue={currency ?? ''}
        />
        <div class="actions">
          <Button type="submit" kind="primary" disabled={busy}>
            {common.save}
          </Button>
        </div>
      </Form>
      <Reviewers />
      <Demand />
      {may('automation:manage') && <Automation />}
    </>
  )
}

/** The switch for all superpowers, above the channels' own. */
function Automation() {
  const { id: organizationId, automation } = useOrganization()
  const changes = useChanges(['me'])
  const ask: Question = {
    title: words.superpowers,
    submit: common.save,
    text: words.superpowersHint,
    fields: (
      <RadioField
        label={words.superpowers}
        name="automation"
        values={AUTOMATION_MODES}
        textOf={(mode) => words.superpowerModes[mode]}
        selected={automation}
      />
    ),
    run: (form) => {
      const body = { automation: textIn(form, 'automation') as AutomationMode }
      return done(call('updateOrganization', { organizationId, body }), words.saved)
    },
  }
  return (
    <Section title={words.superpowers} changes={changes} action={{ text: words.change, ask }}>
      <p>{words.superpowerModes[automation]}</p>
    </Section>
  )
}

/** Requires a second factor from everyone in the organization. */
function Demand() {
  const { id: organizationId, requireSecondFactor } = useOrganization()
  const { error, dialog, change, ask } = useChanges(['me'])
  const set = (isOn: boolean) =>
    done(call('updateOrganization', { organizationId, body: { requireSecondFactor: isOn } }), words.saved)
  const demand = async (isOn: boolean): Promise<void> => {
    if (!isOn) await change(() => set(false))
    else ask({ title: words.demand, submit: words.demandSubmit, text: words.demandText, run: demandNow })
  }
  // Close the dialog in any case: a refusal leads to another page, or is shown beside the switch.
  const demandNow = async () => {
    await change(() => set(true))
    return {}
  }
  return (
    <>
      <Switch checked={requireSecondFactor} onChange={demand}>
        {words.demand}
      </Switch>
      {dialog}
      <p class="quiet small-text">{words.demandHint}</p>
      {error instanceof ApiError && error.code === 'second_factor_missing' ? (
        <Note kind="bad" role="alert">
          <p>
            {words.demandMissing} <a href={hrefOf(organizationId, 'settings', ['account'])}>{factorWords.toFactors}</a>
          </p>
        </Note>
      ) : (
        <Refusal error={error} />
      )}
    </>
  )
}
