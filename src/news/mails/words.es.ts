import type { InboxKind } from '../../interface/inbox.js'
import { oneOrMore, type PersonMailKind, plural } from './wording.js'
import type { MailWords, NewsWords, NoticeWords } from './words.js'

const IF_NOT_YOU =
  'Si no has sido tú: inicia sesión, ciérrala en todos los dispositivos, cambia tu contraseña (ambas cosas están en la página de tu cuenta) y avisa al administrador del servidor.'

const named = (post: string): string => (post === '' ? '' : ` ${post}`)

const NOTICES: Record<PersonMailKind, NoticeWords> = {
  'sign-in': {
    subject: oneOrMore('Nuevo inicio de sesión en tu cuenta', '{n} nuevos inicios de sesión en tu cuenta'),
    happened: 'Se ha iniciado sesión en tu cuenta con un navegador o desde una red que no se habían visto antes:',
    todo: IF_NOT_YOU,
  },
  'password-set': {
    subject: oneOrMore('Se ha definido tu contraseña', 'Se ha definido tu contraseña {n} veces'),
    happened: 'Se ha definido la contraseña de tu cuenta:',
    todo: 'Si no has sido tú: avisa de inmediato al administrador del servidor, que cierra tus sesiones y te da un enlace para entrar; después define otra contraseña.',
  },
  'provider-linked': {
    subject: oneOrMore(
      'Tu cuenta se ha vinculado con el proveedor de identidad',
      'Tu cuenta se ha vinculado con el proveedor de identidad {n} veces',
    ),
    happened: 'Tu cuenta se ha vinculado con el proveedor de identidad, con el que desde ahora puedes iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factor-added': {
    subject: oneOrMore(
      'Se ha añadido un segundo factor a tu cuenta',
      'Se han añadido {n} segundos factores a tu cuenta',
    ),
    happened: 'Se ha añadido a tu cuenta un segundo factor para iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factor-removed': {
    subject: oneOrMore(
      'Se ha quitado un segundo factor de tu cuenta',
      'Se han quitado {n} segundos factores de tu cuenta',
    ),
    happened: 'Se ha quitado de tu cuenta un segundo factor para iniciar sesión:',
    todo: IF_NOT_YOU,
  },
  'factors-reset': {
    subject: oneOrMore(
      'Se han restablecido los segundos factores de tu cuenta',
      'Se han restablecido los segundos factores de tu cuenta {n} veces',
    ),
    happened: 'La administración del servidor ha quitado todos los segundos factores de tu cuenta:',
    todo: 'Si no lo has pedido: avisa de inmediato al administrador del servidor. Si lo has pedido, configúralos de nuevo en la página de tu cuenta.',
  },
  'token-made': {
    subject: oneOrMore('Un programa tiene acceso a tu cuenta', '{n} programas tienen acceso a tu cuenta'),
    happened: 'Se ha creado un token personal con el que un programa actúa por ti:',
    todo: IF_NOT_YOU,
  },
  'password-link': {
    subject: () => 'Define una nueva contraseña',
    happened: 'Con la dirección de correo de tu cuenta se ha pedido un enlace, porque se ha olvidado la contraseña:',
    todo: 'Si has sido tú: este enlace te deja entrar una vez, durante 30 minutos, y allí defines una nueva contraseña. Si no has sido tú, no tienes que hacer nada: tu contraseña sigue como está.',
  },
  'operator-token-expiring': {
    subject: oneOrMore('Un token de operador caduca pronto', '{n} tokens de operador caducan pronto'),
    happened: 'Cuando un token de operador caduca, se rechaza:',
    todo: 'Emite otro, cambia lo que lo usa y revoca este: con `greenroom operator-tokens issue` o en los ajustes del servidor en la consola.',
  },
}

const NEWS: Record<InboxKind, NewsWords> = {
  returned: {
    subject: oneOrMore('Tu publicación ha vuelto', 'Han vuelto {n} de tus publicaciones'),
    said: (post, by) => `Tu publicación${named(post)} ha sido devuelta por ${by}`,
    quoted: ', por este motivo:',
    unquoted: '. El motivo está en la consola.',
  },
  approved: {
    subject: oneOrMore('Tu publicación está aprobada', '{n} de tus publicaciones están aprobadas'),
    said: (post, by) => `Tu publicación${named(post)} ha sido aprobada por ${by}. Se publicará a su hora.`,
  },
  failed: {
    subject: oneOrMore('Tu publicación no ha salido', '{n} de tus publicaciones no han salido'),
    said: (post) => `Tu publicación${named(post)} no ha salido en todos los canales`,
    quoted: ', por este motivo:',
    unquoted: '. El motivo está en la consola.',
  },
  published: {
    subject: oneOrMore('Tu publicación ha salido', 'Han salido {n} de tus publicaciones'),
    said: (post) => `Tu publicación${named(post)} ha salido.`,
  },
  mentioned: {
    subject: oneOrMore('Te han mencionado en un debate', 'Te han mencionado {n} veces en debates'),
    said: (post, by) => `Te ha mencionado ${by} en el debate de la publicación${named(post)}`,
    quoted: ':',
    unquoted: '. El mensaje está en la consola.',
  },
  replied: {
    subject: oneOrMore('Hay un mensaje nuevo sobre una publicación', 'Hay {n} mensajes nuevos sobre publicaciones'),
    said: (post, by) => `En el debate de la publicación${named(post)} ha escrito ${by}`,
    quoted: ':',
    unquoted: '. El mensaje está en la consola.',
  },
}

export const words: MailWords = {
  hello: (name) => (name === '' ? 'Hola:' : `Hola, ${name}:`),
  quote: (text) => `«${text}»`,
  unexpected: 'Si no esperabas este correo, no tienes que hacer nada.',
  byRole: 'Recibes este correo por tu rol allí. En la consola puedes desactivar estos correos para ti.',
  invitation: {
    subject: (organization) => `Invitación a una organización llamada «${organization}»`,
    text: (organization) =>
      `Te invitan a trabajar en Greenroom con una organización que se llama a sí misma «${organization}»: el nombre se lo ha dado quien te invita. Este enlace te deja entrar; sirve una vez y durante 7 días:`,
  },
  reviewLink: {
    subject: (organization) => `${organization} pide tu aprobación`,
    text: (organization) =>
      `Una organización que se llama a sí misma «${organization}» te pide que mires unas publicaciones antes de que salgan. Este enlace las abre; apruebas o devuelves cada una y no necesitas cuenta:`,
    keep: 'Guarda este correo para ti: quien tenga el enlace puede decidir en tu nombre.',
  },
  approval: {
    subject: (many, organization) =>
      plural(
        many,
        `Una publicación de ${organization} espera aprobación`,
        `${many.text} publicaciones de ${organization} esperan aprobación`,
      ),
    text: oneOrMore('Se ha enviado una publicación a aprobación:', 'Se han enviado {n} publicaciones a aprobación:'),
  },
  postFailed: {
    subject: (many, organization) =>
      plural(
        many,
        `Una publicación de ${organization} no ha salido`,
        `${many.text} publicaciones de ${organization} no han salido`,
      ),
    text: (many) =>
      `${plural(many, 'Una publicación no ha podido', `${many.text} publicaciones no han podido`)} salir en todos los canales. La consola dice por qué y deja intentarlo de nuevo:`,
  },
  tokenRefused: {
    subject: (organization) => `Hay que conectar de nuevo ${organization} con la plataforma`,
    text: (many) =>
      `La plataforma rechaza ${plural(many, 'el token de acceso de un canal o una cuenta publicitaria', `los tokens de acceso de ${many.text} canales o cuentas publicitarias`)}: allí no se publica ni se lee nada hasta que se conecte de nuevo.`,
  },
  keyExpiring: {
    subject: (many, organization) =>
      plural(
        many,
        `Una clave de ${organization} caduca pronto`,
        `${many.text} claves de ${organization} caducan pronto`,
      ),
    text: oneOrMore(
      'Esta clave caduca en menos de 14 días, y desde entonces se rechazan los programas que la usan. Emite otra, cambia los programas y revoca la anterior:',
      'Estas claves caducan en menos de 14 días, y desde entonces se rechazan los programas que las usan. Emite otras, cambia los programas y revoca las anteriores:',
    ),
  },
  notices: NOTICES,
  from: (address) => `desde ${address}`,
  unknownAddress: 'una dirección desconocida',
  browser: (browser, system) =>
    `con ${browser ?? 'un navegador desconocido'}${system === undefined ? '' : ` en ${system}`}`,
  tokenEnds: (token, time) => `${token}, que caduca el ${time}`,
  before: (many) => `y ${many.text} anteriores`,
  gathered: (time) => `Ha habido varios correos como este. Lo que siga llega en uno solo, no antes de las ${time}.`,
  server: (url) => `El servidor está en ${url}`,
  news: NEWS,
  newsOf: (subject, organization) => `${subject} (${organization})`,
  severalNews: (many) => `Novedades de tus publicaciones: ${many.text}`,
  moreNews: (many) => `Hay más novedades en tu bandeja de entrada: ${many.text}.`,
  allNews: (url) => `Todas las novedades están en tu bandeja de entrada: ${url}`,
  whyNews:
    'Recibes este correo porque escribiste estas publicaciones o se te nombró en sus debates. En los ajustes de la consola, en Tú, eliges las novedades que recibes por correo.',
  someone: 'otra persona',
  program: 'un programa',
  operator: 'el operador del servidor',
}
