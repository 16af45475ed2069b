import { join, resolve } from 'node:path'
import { days, directory } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** A shorter time would remove entries before a person or a provider asks about them. */
const AUDIT_DAYS_MIN = 30

const isWithin = (path: string, directory: string): boolean => `${path}/`.startsWith(`${resolve(directory)}/`)

/** How long data is kept after the service no longer needs it (docs/retention.md); undefined keeps it forever. */
export const retention = group(
  {
    auditMs: setting('AUDIT_KEEP_DAYS', days(AUDIT_DAYS_MIN), {
      needs: {
        AUDIT_EXPORT_DIR:
          'AUDIT_KEEP_DAYS needs AUDIT_EXPORT_DIR: an entry is removed only after it has been written to a file there.',
      },
    }).about(
      'Days to keep entries of the audit trail, 30 to 3650; the default is forever. An entry is removed only after it has been written to a file in AUDIT_EXPORT_DIR.',
    ),
    exportDir: setting('AUDIT_EXPORT_DIR', directory, {
      needs: {
        AUDIT_KEEP_DAYS:
          'AUDIT_EXPORT_DIR is set without AUDIT_KEEP_DAYS: nothing would be written there. Set both or none.',
      },
    }).about('Directory of the files that AUDIT_KEEP_DAYS writes.'),
    postContentMs: setting('POST_CONTENT_KEEP_DAYS', days()).about(
      'Days to keep the content of published and failed posts after their last change, 1 to 3650; the default is forever. The post itself remains, with its times and channels.',
    ),
    revokedKeysMs: setting('REVOKED_KEYS_KEEP_DAYS', days()).about(
      'Days for which revoked keys stay in the lists, 1 to 3650; the default is forever.',
    ),
    unusedMediaMs: setting('UNUSED_MEDIA_KEEP_DAYS', days(), {
      needs: { MEDIA_DIR: 'UNUSED_MEDIA_KEEP_DAYS needs MEDIA_DIR: there are no uploads without it.' },
    }).about('Days to keep uploaded files that no post and no superpower uses, 1 to 3650; the default is forever.'),
  },
  {
    check: ({ exportDir = '' }, textOf) => [
      textOf('MEDIA_DIR') !== '' &&
        isWithin(exportDir, textOf('MEDIA_DIR')) &&
        'AUDIT_EXPORT_DIR must not be in MEDIA_DIR, whose files are served to everyone.',
      isWithin(exportDir, join(textOf('DATA_DIR'), 'database')) &&
        'AUDIT_EXPORT_DIR must not be in the directory of the embedded database: use a separate directory.',
    ],
    make: ({ auditMs, exportDir, ...values }) => ({
      audit: auditMs === undefined || exportDir === undefined ? undefined : { keepMs: auditMs, exportDir },
      ...values,
    }),
  },
)

export type RetentionConfig = ConfigOf<typeof retention>
