"""The 17 columns of the taxi rows: keys in tf.Example's map of features, grouped by the type of their lists."""

FLOATS = """dropoff_census_tract dropoff_community_area dropoff_latitude dropoff_longitude fare pickup_latitude pickup_longitude
    tips trip_miles trip_seconds""".split()
INTEGERS = "pickup_community_area trip_start_day trip_start_hour trip_start_month trip_start_timestamp".split()
STRINGS = "company payment_type".split()

FIELDS = tuple(f'features.feature["{key}"]' for key in (*FLOATS, *INTEGERS, *STRINGS))
