"""A site with Flask-Security's two factors, set up as its documentation says.

    flask_security.py PORT DATABASE
"""

import sys

sys.path.pop(0)  # this folder, whose file has the library's name

from flask import Flask, request  # noqa: E402
from flask_security import Security, SQLAlchemyUserDatastore, auth_required, hash_password  # noqa: E402
from flask_security.models import fsqla_v3  # noqa: E402
from flask_sqlalchemy import SQLAlchemy  # noqa: E402
from sqlalchemy.exc import SQLAlchemyError  # noqa: E402

app = Flask(__name__)
app.config.update(
    SECRET_KEY="of the suite only", SQLALCHEMY_DATABASE_URI=sys.argv[2], SECURITY_PASSWORD_SALT="146585145368132386173",
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


app.security = Security(app, SQLAlchemyUserDatastore(db, User, Role))


@app.get("/")
@auth_required("session")
def account():
    return "signed in"


@app.post("/console")
def console():
    """Makes a user, in an administrator's place."""
    asked = request.get_json()
    app.security.datastore.create_user(email=asked["user"], password=hash_password(asked["password"]))
    db.session.commit()
    return {}


with app.app_context():
    try:
        db.create_all()
    except SQLAlchemyError:
        pass  # the other process was faster
app.run("127.0.0.1", int(sys.argv[1]), threaded=True)
