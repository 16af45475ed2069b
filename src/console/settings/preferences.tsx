import { LANGUAGES, type Language, languages } from '../../interface/languages.ts'
import { call } from '../api.ts'
import { SelectField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { changeLanguage } from '../language.ts'
import { useMe, useOrganization } from '../organization.ts'
import { zoneName } from '../times.ts'
import { common, settings as words } from '../words.ts'
import { done, type Question, Section, useChanges } from './section.tsx'

/** The person's language and time zone, for the console and for emails. */
export function Preferences() {
  const { language, timeZone } = useMe().person
  const { organizationTimeZone } = useOrganization()
  const changes = useChanges(['me'])
  const zones = Intl.supportedValuesOf('timeZone')
  const ask: Question = {
    title: words.preferences,
    submit: common.save,
    fields: (
      <>
        <SelectField
          label={words.language}
          hint={words.languageHint}
          name="language"
          values={['', ...LANGUAGES]}
          textOf={(one) => (one === '' ? words.browserLanguage : languages[one].name)}
          selected={language ?? ''}
        />
        <SelectField
          label={words.ownTimeZone}
          hint={words.ownTimeZoneHint}
          name="timeZone"
          // The service may know a zone that this browser does not.
          values={['', ...(timeZone === null || zones.includes(timeZone) ? zones : [timeZone, ...zones])]}
          textOf={(one) =>
            one === '' ? words.organizationZone({ zone: zoneName(organizationTimeZone) }) : zoneName(one)
          }
          selected={timeZone ?? ''}
        />
      </>
    ),
    run: async (form) => {
      const body = {
        language: (textIn(form, 'language') || null) as Language | null,
        timeZone: textIn(form, 'timeZone') || null,
      }
      const outcome = await done(call('setOwnPreferences', { body }), words.saved)
      if (body.language !== language) changeLanguage(body.language)
      return outcome
    },
  }
  const shownZone =
    timeZone === null ? words.organizationZone({ zone: zoneName(organizationTimeZone) }) : zoneName(timeZone)
  return (
    <Section title={words.preferences} changes={changes} action={{ text: words.change, ask }}>
      <p>
        {words.preferred({
          language: language === null ? words.browserLanguage : languages[language].name,
          zone: shownZone,
        })}
      </p>
    </Section>
  )
}
