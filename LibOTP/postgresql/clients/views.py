# Second factors in a website on Django (Debian: python3-django, python3-qrcode). The session's "user" is whose password
# was right: a client must not be able to choose it. With ATOMIC_REQUESTS, the views must not be in a transaction.
import qrcode
from django.db import connection, transaction
from django.http import HttpResponse, JsonResponse
from qrcode.image.svg import SvgPathImage


def ask(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


# The QR code has the secret: it is for the user who enrolls, and for no cache.
def enroll(request):
    (uri,), = ask("SELECT otp.enroll(%s, 'Example', %s)", request.session["user"], request.session["user"])
    return HttpResponse(qrcode.make(uri, image_factory=SvgPathImage).to_string(), "image/svg+xml",
                        headers={"Cache-Control": "no-store"})


@transaction.non_atomic_requests
def confirm(request):
    (answer, *_), = ask("CALL otp.confirm(%s, %s)", request.session["user"], request.POST["code"])
    if answer != "enrolled":
        return JsonResponse({"error": "wrong code"}, status=401)
    codes = [code for (code,) in ask("SELECT code FROM otp.recovery_codes(%s)", request.session["user"])]
    return JsonResponse({"recovery_codes": codes}, headers={"Cache-Control": "no-store"})  # Shown once, to be printed.


@transaction.non_atomic_requests
def sign_in(request):
    (answer, _, seconds, _), = ask("CALL otp.verify(%s, %s, %s)", request.session["user"], request.POST["code"],
                                   request.POST.get("factor", "app"))  # or "recovery"
    if answer in ("wait", "locked"):
        return JsonResponse({"error": answer}, status=429, headers={"Retry-After": seconds} if seconds else {})
    if answer != "accepted":
        return JsonResponse({"error": "wrong code"}, status=401)
    request.session.cycle_key()
    request.session["signed_in"] = True
    return JsonResponse({})
