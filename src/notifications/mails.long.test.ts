import './mails.test.js'
