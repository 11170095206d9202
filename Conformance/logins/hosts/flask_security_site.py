"""A site with Flask-Security's two factors, set up as its documentation says.

    flask_security_site.py PORT DATABASE
"""

import sys

from flask import Flask, jsonify, request
from flask_security import Security, SQLAlchemyUserDatastore, auth_required, hash_password
from flask_security.models import fsqla_v3
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.exc import OperationalError

PORT, DATABASE = int(sys.argv[1]), sys.argv[2]
app = Flask(__name__)
app.config.update(
    SECRET_KEY="of the suite only", SQLALCHEMY_DATABASE_URI=DATABASE, SECURITY_PASSWORD_SALT="146585145368132386173505",
    SQLALCHEMY_ENGINE_OPTIONS={"pool_pre_ping": True}, SECURITY_TWO_FACTOR=True, SECURITY_TWO_FACTOR_REQUIRED=False,
    SECURITY_TWO_FACTOR_ENABLED_METHODS=["authenticator"], SECURITY_TOTP_ISSUER="suite",
    SECURITY_TOTP_SECRETS={"1": "TjQ9Qa31VOrfEzuPy4VHQWPCTmRzCnFzMKLxXYiZu9B"},
    SECURITY_MULTI_FACTOR_RECOVERY_CODES=True,
    # What is tested is the second factor: the passwords' hash is quick, and the suite's forms have no page before them.
    SECURITY_PASSWORD_HASH="plaintext", SECURITY_PASSWORD_SINGLE_HASH=["plaintext"], WTF_CSRF_ENABLED=False,
    SECURITY_EMAIL_VALIDATOR_ARGS={"check_deliverability": False}, SECURITY_SEND_MAIL=False)
db = SQLAlchemy(app)
fsqla_v3.FsModels.set_db_info(db)


class Role(db.Model, fsqla_v3.FsRoleMixin):
    """Its roles."""


class User(db.Model, fsqla_v3.FsUserMixin):
    """Its users."""


datastore = SQLAlchemyUserDatastore(db, User, Role)
app.security = Security(app, datastore)


@app.get("/")
@auth_required("session")
def account():
    return "signed in"


@app.post("/console")
def console():
    """What an administrator does."""
    asked = request.get_json()
    if asked["do"] == "user":
        datastore.create_user(email=f"{asked['user']}@example.com", password=hash_password(asked["password"]))
        db.session.commit()
    return jsonify({})


with app.app_context():
    try:
        db.create_all()
    except OperationalError:
        pass  # the other process was faster
app.run("127.0.0.1", PORT, threaded=True)
