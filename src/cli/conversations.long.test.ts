import './conversations.test.js'
